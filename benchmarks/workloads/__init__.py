"""Workloads of tqp's own making that resemble what users run, and are not TPC-H."""
