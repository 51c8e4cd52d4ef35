"""Tools of the transfer pack."""
