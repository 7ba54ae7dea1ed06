"""From a study to its points: the scenarios it asks for, and whether they are sound."""
