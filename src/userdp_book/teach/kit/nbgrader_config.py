"""Settings of this course; nbgrader reads them when it is started in this folder."""

from nbconvert.preprocessors import CSSHTMLHeaderPreprocessor
from nbgrader.preprocessors import GetGrades

from userdp_book.teach.feedback import HideChecks

c = get_config()  # noqa: F821

c.CourseDirectory.course_id = "userdp"

# Seconds a cell; nbgrader's own 30 are for an idle machine. A loop that never ends costs this once a check.
c.Execute.timeout = 120

# Seconds until a kernel answers; nbgrader's own 60 and 4 leave hand-ins out on a busy machine.
c.Execute.startup_timeout = 300
c.Execute.iopub_timeout = 60

# A check that a student has deleted is put back where it belongs.
c.OverwriteCells.add_missing_cells = True

# The kernel keeps copies of numpy, scipy and the built-in functions before it runs a hand-in.
c.Execute.extra_arguments = [
    "--HistoryManager.hist_file=:memory:",
    "--IPKernelApp.exec_lines=import userdp_book.teach.guard",
]

# What learning platforms call the files of "download all submissions":
#   Moodle   Ada Lovelace_1234567_assignsubmission_file/localise-refine.ipynb, or all in one name
#   Canvas   lovelaceada_LATE_12345_678910_localise-refine-1.ipynb
c.ZipCollectApp.collector_plugin = "userdp_book.teach.collect.Collect"

# Feedback says which check failed and why, and does not show the hidden ones.
c.GenerateFeedback.preprocessors = [GetGrades, HideChecks, CSSHTMLHeaderPreprocessor]

# On JupyterHub students fetch and submit in their browser: a folder that all can read and write.
# c.Exchange.root = "/srv/nbgrader/exchange"
