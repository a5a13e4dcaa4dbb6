"""What is no data is refused in a sentence."""

import pytest

from noisekernel.core.errors import InputError
from noisekernel.data import load, load_data, open_source
from noisekernel.kinds.pictures import Pictures


def test_mistakes(tmp_path):
    with pytest.raises(InputError, match="Did you mean 'digits'"):
        open_source("digit")
    with pytest.raises(InputError, match="no file, folder or data set called 'nowhere'"):
        open_source("nowhere")
    with pytest.raises(InputError, match="holds no file"):
        open_source(tmp_path)
    (tmp_path / "a.xyz").write_bytes(b"?")
    with pytest.raises(InputError, match="none of the files that can be read"):
        open_source(tmp_path / "a.xyz")
    with pytest.raises(InputError, match="is of no kind of data that is known here"):
        load_data(tmp_path)
    with pytest.raises(InputError, match="no picture to be had"):
        load(open_source(tmp_path), Pictures(size=(1, 4, 4)), bad="skip")
    with pytest.raises(ValueError, match="1, 3 or 4"):
        load(open_source("digits"), Pictures(size=(2, 4, 4)))
