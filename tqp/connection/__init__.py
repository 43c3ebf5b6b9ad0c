"""Connections: a file for each kind of what users do on one, the functions of the module `tqp` among them."""

from tqp.connection.connection import Connection, connect

__all__ = ["Connection", "connect"]
