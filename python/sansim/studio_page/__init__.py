"""The built page of the studio (`assets`), and its player as one page that needs no server (`player`)."""
