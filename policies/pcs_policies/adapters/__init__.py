"""The rules inside of other tools: one package a tool, each of which leads to documents and to the engine."""
