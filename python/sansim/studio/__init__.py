"""The server of the studio: the page, the files of a folder, checks, edits and runs, for one user on this machine.

The floors, from the bottom: `guard` lets in only the page of this server, `folder` maps ids to files, `checked` and
`edit` look at texts, `forms` lists the keys of each kind, `worker` runs in a process of its own, `jobs` keeps the runs,
`assets` has the built page, and `server` puts the answers together.
"""
