"""Lecture: scenes that teach resampling to a class, one screen each, with only the keyboard."""

from pages._sections import lecture_stage
from pages._ui import frame

frame.take_view()
lecture_stage.show(lecture_stage.choose_scene())
