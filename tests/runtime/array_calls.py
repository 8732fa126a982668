"""A call of every function of `jax.numpy` that takes arrays, for the tests of objects with ``__jax_array__``.

Each NumPy array in a call stands for an argument that may be such an object. A name may have several calls, where
one cannot have all of its arguments.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from releases import VERSION


@dataclass(frozen=True)
class Call:
    """The arguments of one call."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]


CALLS: dict[str, list[Call]] = {}


def call(names: str, *args: Any, **kwargs: Any) -> None:
    for name in names.split():
        CALLS.setdefault(name, []).append(Call(args, kwargs))


def number(value: float) -> np.ndarray:
    """Return a number as an array, so that an object can stand for it."""
    return np.asarray(value, np.int32 if isinstance(value, int) else np.float32)


def first_as_float(x: Any, *_: Any) -> Any:
    return x[0] * 1.0


F = np.array([0.25, 0.5, 0.875], np.float32)
G = np.array([1.5, 2.0, 0.5], np.float32)
I = np.array([3, 1, 2], np.int32)  # noqa: E741
J = np.array([1, 2, 0], np.int32)
B = np.array([True, False, True])
D = np.array([False, True, True])
M = np.array([[2.0, 1.0], [1.0, 3.0]], np.float32)
N = np.array([[0.5, 1.0], [2.0, 4.0]], np.float32)
R = np.array([[1.0, 2.0, 0.5], [0.0, 3.0, 1.0]], np.float32)
CUBE = np.arange(8, dtype=np.float32).reshape(2, 2, 2)
BYTES = np.array([3, 129], np.uint8)
ONE, TWO, HALF = number(1), number(2), number(0.5)
YES = np.asarray(True)

# One array.
call("abs absolute acos acosh angle arccos arccosh arcsin arcsinh arctan arctanh argmax argmin argsort argwhere", F)
call("around array array_repr array_str asarray asin asinh atan atanh cbrt ceil conj conjugate copy cos cosh", F)
call("count_nonzero cumprod cumsum deg2rad degrees diag diagflat exp exp2 expm1 fabs flatnonzero flip floor", F)
call("frexp i0 imag iscomplex iscomplexobj isfinite isinf isnan isneginf isposinf isreal isrealobj isscalar", F)
call("iterable log log10 log1p log2 logical_not matrix_transpose median modf nanargmax nanargmin nancumprod", M)
call("nancumsum nanmedian ndim negative nonzero poly polyder positive ptp rad2deg radians ravel", F)
call("real reciprocal result_type rint roots round shape sign signbit sin sinc sinh size sort sort_complex", F)
call("spacing sqrt square squeeze tan tanh transpose trim_zeros trunc vander unstack", F)
call("cumulative_prod cumulative_sum", F)
call("polyint", F, 2, np.array([1.0, 2.0], np.float32))
call("diag_indices_from fliplr flipud rot90 tril triu tril_indices_from triu_indices_from", M)
call("bitwise_count bitwise_invert bitwise_not invert", I)
call("packbits", B)
call("unpackbits", BYTES)
call("from_dlpack", F)
call("astype", F, np.int32)
call("diagonal", M)
call("trace", M, ONE)
call("linalg.cholesky linalg.cond linalg.det linalg.diagonal linalg.eig linalg.eigh linalg.eigvals", M)
call("linalg.eigvalsh linalg.inv linalg.matrix_norm linalg.matrix_transpose linalg.norm linalg.qr linalg.slogdet", M)
call("linalg.svd linalg.svdvals linalg.trace linalg.vector_norm", M)
call("linalg.matrix_power", M, 3)
call("linalg.matrix_rank", M, HALF)
call("linalg.matrix_rank", M, tol=HALF)
call("linalg.pinv", M, HALF)
call("linalg.pinv", M, rcond=HALF)
call("linalg.tensorinv", M, ind=1)
call("fft.fft fft.fftshift fft.hfft fft.ifft fft.ifftshift fft.ihfft fft.irfft fft.rfft", F)
call("fft.fft2 fft.fftn fft.ifft2 fft.ifftn fft.irfft2 fft.irfftn fft.rfft2 fft.rfftn", M)
call("fft.fftfreq fft.rfftfreq", 4, HALF)

# Two arrays, and more.
call("add arctan2 array_equal array_equiv atan2 copysign divide divmod dot equal float_power floor_divide fmax", F, G)
call("fmin fmod greater greater_equal heaviside hypot inner kron less less_equal logaddexp logaddexp2", F, G)
call("maximum minimum mod multiply nextafter not_equal outer polyadd polydiv polymul polysub polyval pow", F, G)
call("power remainder subtract true_divide vdot vecdot cross append convolve correlate", F, G)
call("matmul tensordot", M, N)
call("matvec", M, F[:2])
call("vecmat", F[:2], M)
call("linalg.cross linalg.outer linalg.vecdot", F, G)
call("linalg.matmul linalg.solve linalg.tensordot linalg.lstsq", M, N)
call("linalg.tensorsolve", M, F[:2])
call("linalg.multi_dot", [M, N, M])
call("bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor gcd lcm left_shift right_shift", I, J)
call("logical_and logical_or logical_xor", B, D)
call("ldexp", F, I)
call("allclose isclose", F, G, HALF, ONE)
call("isin", I, J)
call("searchsorted", F, G, sorter=J)
call("digitize", G, F)

# Reductions.
call("all any", B, where=D)
call("amax amin max min nanmax nanmin", F, initial=HALF, where=B)
call("nanprod nansum prod sum", F, initial=TWO, where=B)
call("mean nanmean", F, where=B)
call("nanstd nanvar std var", F, where=B, mean=HALF)
call("average", F, weights=G)
call("nanpercentile percentile", F, number(30.0), method="inverted_cdf", weights=G)
call("nanquantile quantile", F, HALF, method="inverted_cdf", weights=G)
call("corrcoef", F, G)
call("cov", R, R, fweights=I, aweights=F)
call("trapezoid", F, x=G, dx=TWO)

# Sequences of arrays.
call("atleast_1d atleast_2d atleast_3d broadcast_arrays meshgrid", F, G)
call("ix_", I, J)
call("column_stack concat concatenate dstack hstack stack vstack", [F, G])
call("concatenate", (F, G), axis=0)
call("block", [[M, N], [N, M]])
call("lexsort", (F, I))
call("choose", J, [F, G, I])
call("select", [B, D], [F, G], TWO)
call("einsum einsum_path", "i,ij->j", F[:2], M)
call("einsum einsum_path", M, [0, 1], F[:2], [1])
call("ravel_multi_index", [np.array([1, 0], np.int32), np.array([0, 2], np.int32)], (2, 3))

if VERSION >= (0, 11, 1):
    call("minmax", F, initial=HALF, where=B)
    call("top_k", F, 2)

# Pieces, places and positions.
call("argpartition partition", F, 1)
call("array_split split", F, ONE)
call("hsplit vsplit", CUBE, ONE)
call("dsplit", CUBE, ONE)
call("broadcast_to resize", F, (2, 3))
call("clip", F, HALF, ONE)
call("compress extract", B, F, size=2, fill_value=HALF)
call("delete", F, ONE)
call("diff", F, prepend=HALF, append=ONE)
call("ediff1d", F, HALF, ONE)
call("expand_dims", F, 0)
call("permute_dims", M, (1, 0))
call("fill_diagonal", M, HALF, inplace=False)
call("insert", F, ONE, HALF)
call("interp", G, F, G, HALF, ONE)
call("interp", G, F, G, period=TWO)
call("moveaxis swapaxes rollaxis", M, 0, 1)
call("pad", F, ONE, constant_values=HALF)
call("place", F, B, G, inplace=False)
call("put", F, J, G, inplace=False)
call("put_along_axis", F, J, G, 0, inplace=False)
call("repeat", F, I, total_repeat_length=6)
call("reshape", F, (3, 1))
call("roll", F, ONE)
call("take take_along_axis", F, J)
call("tile", F, 2)
call("unravel_index", I, (2, 3))
call("unwrap", F, HALF, period=TWO)
call("where", B, F, G)
call("where", B, size=2, fill_value=ONE)
call("argwhere flatnonzero nonzero", F, size=4, fill_value=ONE)
call("nan_to_num", F, nan=HALF, posinf=ONE, neginf=TWO)

# Sets and histograms.
call("unique unique_all unique_counts unique_inverse unique_values", I, size=4, fill_value=TWO)
call("unique", I)
call("setdiff1d setxor1d union1d", I, J, size=4, fill_value=TWO)
call("intersect1d", I, J, size=4)
call("bincount", I, F, length=4)
call("histogram", F, F, weights=G)
call("histogram histogram_bin_edges", F, 2, np.array([0.0, 1.0], np.float32), weights=G)
call("histogram_bin_edges", F, F)
call("histogram2d", F, G, F, weights=F)
call("histogram2d", F, G, 2, [np.array([0.0, 1.0], np.float32), np.array([0.0, 2.0], np.float32)])
call("histogramdd", M, [F, G], weights=F[:2])
call("histogramdd", M, 2, [np.array([0.0, 1.0], np.float32), np.array([0.0, 2.0], np.float32)])

# Made of numbers.
call("arange", ONE, number(7), TWO)
call("empty_like ones_like zeros_like", F)
call("eye", 3, k=ONE)
call("full", 3, HALF)
call("full_like", F, HALF)
call("geomspace linspace", ONE, TWO, 4)
call("logspace", ONE, TWO, 4, base=HALF)
call("kaiser", 4, HALF)
call("gradient", F, HALF)
call("polyfit", F, G, 1, w=G)

# Functions of the caller.
call("apply_along_axis", first_as_float, 0, M)
call("apply_over_axes", lambda a, axis: a.sum(axis, keepdims=True), CUBE, [0, 1])
call("piecewise", F, [B, D], [HALF, lambda x: x + 1, ONE])

NO_ARRAYS = "takes no array"
FILES = "reads or writes a file or a buffer, or takes text"
PRINTING = "sets how arrays are printed"
# Functions that no call is needed of, each with the reason.
LEFT_OUT: dict[str, str] = {
    **dict.fromkeys(("bartlett", "blackman", "broadcast_shapes", "diag_indices", "empty", "hamming"), NO_ARRAYS),
    **dict.fromkeys(("hanning", "identity", "indices", "isdtype", "issubdtype", "ones", "promote_types"), NO_ARRAYS),
    **dict.fromkeys(("tri", "tril_indices", "triu_indices", "zeros"), NO_ARRAYS),
    **dict.fromkeys(("frombuffer", "fromfile", "fromiter", "fromstring", "load", "save", "savez"), FILES),
    "can_cast": "is NumPy's own, which does not take arrays any more",
    **dict.fromkeys(("get_printoptions", "printoptions", "set_printoptions"), PRINTING),
    **dict.fromkeys(("fromfunction", "frompyfunc", "mask_indices", "vectorize"), "takes a function and no array"),
}

# Parameters that are annotated with ArrayLike and not given in any call, each with the reason.
NOT_GIVEN: dict[tuple[str, str], str] = {
    ("intersect1d", "fill_value"): "has to be hashable in JAX",
}
