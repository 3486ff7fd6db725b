"""What people touch: doctor, scoreboard, plots."""
