"""Lecture: scenes that teach resampling to a room, one screen each, by keyboard alone."""

from pages._sections import lecture_stage
from pages._ui import frame

frame.take_view()
lecture_stage.show(lecture_stage.choose_scene())
