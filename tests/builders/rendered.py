"""Results in the formats of reports, for tests that look at one of them."""

from mtsig_core.report.pair_summary import summary_report
from mtsig_core.report.reports import comparison_report, render_report
from mtsig_core.report.task_reports import task_report


def comparison_text(comparison, width=None):
    return render_report(comparison_report(comparison), "text", width)


def comparison_json(comparison):
    return comparison.render("json")


def comparison_csv(comparison):
    return comparison.render("csv")


def comparison_latex(comparison):
    return comparison.render("latex")


def comparison_html(comparison):
    return comparison.render("html")


def task_document(form, result, command="", history=()):
    return render_report(task_report(result, command, history), form)


def task_json(result, history=()):
    return task_document("json", result, history=history)


def task_csv(result, history=()):
    return task_document("csv", result, history=history)


def summary_json(dispute):
    return render_report(summary_report(dispute), "json")
