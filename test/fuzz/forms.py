from generate import linalg as forms
