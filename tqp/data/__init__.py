"""How values lie in tensors, and what is known of them."""
