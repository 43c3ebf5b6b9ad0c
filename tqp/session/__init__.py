"""What the queries of one connection share: settings, what names mean, plans that were made before, transactions."""
