"""CDKTF constructs for AWS PCS that cannot express the mistakes the policy rules look for."""
