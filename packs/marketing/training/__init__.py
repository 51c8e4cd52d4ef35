"""How the weights in models/ were made. Needs scikit-learn; nothing here runs in the product."""
