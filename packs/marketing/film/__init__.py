"""Pictures that move: the scenes of marketing.video, and the lettering that the banners share."""
