"""The labs and what a teacher needs to run a course on them: folder, check of hand-ins, feedback, slides."""
