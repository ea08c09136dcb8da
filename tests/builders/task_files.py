"""Files of a task, as tests ask for them."""

from mtsig_core.report.html import report_html
from mtsig_core.report.latex import report_latex
from mtsig_core.report.task_reports import task_report
from mtsig_core.report.text import report_text


def task_text(found, history=()):
    return report_text(task_report(found, "mtsig task", history))


def task_html(found, command, history=()):
    return report_html(task_report(found, command, history))


def task_latex(found, command, history=()):
    return report_latex(task_report(found, command, history))
