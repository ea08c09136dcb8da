"""Lecture: scenes that teach resampling to a room, one screen each, by keyboard alone."""

from pages._ui import frame, lecture_stage

view = frame.take_view()
lecture_stage.show(view)
