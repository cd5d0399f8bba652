"""Terraform provider over boto3's PCS client, and a local PCS endpoint for those without an AWS account."""
