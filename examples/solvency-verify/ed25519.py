"""Verifies signatures of Ed25519 (RFC 8032) with nothing but Python's standard library. Slow, and enough for one signature."""
import hashlib

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
ROOT_OF_MINUS_ONE = pow(2, (P - 1) // 4, P)


def x_of(y, sign):
    """The x of a point by its y and the lowest bit of x; None where there is no such point."""
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P != 0:
        x = x * ROOT_OF_MINUS_ONE % P
    if (x * x - square) % P != 0 or (x == 0 and sign == 1):
        return None
    return x if x % 2 == sign else P - x


def point_of(encoded):
    number = int.from_bytes(encoded, "little")
    y, sign = number & (2**255 - 1), number >> 255
    if y >= P:
        return None
    x = x_of(y, sign)
    return None if x is None else (x, y)


def add(one, other):
    (x1, y1), (x2, y2) = one, other
    product = D * x1 * x2 * y1 * y2 % P
    x = (x1 * y2 + x2 * y1) * pow(1 + product, -1, P) % P
    y = (y1 * y2 + x1 * x2) * pow(1 - product, -1, P) % P
    return x, y


def times(factor, point):
    total = (0, 1)
    while factor > 0:
        if factor % 2 == 1:
            total = add(total, point)
        point = add(point, point)
        factor //= 2
    return total


BASE_Y = 4 * pow(5, -1, P) % P
BASE = (x_of(BASE_Y, 0), BASE_Y)


def is_signed(key, signature, message):
    """Whether the key of 32 bytes has made the signature of 64 bytes over a message."""
    if len(key) != 32 or len(signature) != 64:
        return False
    public, commitment = point_of(key), point_of(signature[:32])
    scalar = int.from_bytes(signature[32:], "little")
    # of a key of small order a signature over anything verifies
    if public is None or commitment is None or scalar >= ORDER or times(8, public) == (0, 1):
        return False
    challenge = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % ORDER
    return times(scalar, BASE) == add(commitment, times(challenge, public))
