"""ONNX graphs as models: read, checked, and run as tensor operations."""
