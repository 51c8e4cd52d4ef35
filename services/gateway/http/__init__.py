"""REST: one module per noun declares its addresses; around them what every request passes."""
