"""A seccomp filter for worker processes: system calls by which a tool would get past what Landlock keeps it from, or
leave the group that ends with its call. Refused calls fail, they kill nobody."""

import ctypes
import errno
import platform
import struct

_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32 = 0x40000000
_NUMBERS = {
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "pidfd_getfd": (438, 438),
    "kcmp": (312, 272), "perf_event_open": (298, 241), "bpf": (321, 280), "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51), "move_mount": (429, 429),
    "open_tree": (428, 428), "fsopen": (430, 430), "mount_setattr": (442, 442), "setns": (308, 268),
    "unshare": (272, 97),
    "open_by_handle_at": (304, 265), "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218),
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106), "kexec_load": (246, 104),
    "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225), "settimeofday": (164, 170),
    "clock_settime": (227, 112), "sethostname": (170, 161), "setsid": (112, 157), "setpgid": (109, 154),
    "setuid": (105, 146), "setgid": (106, 144), "setresuid": (117, 147), "setresgid": (119, 149),
    "setreuid": (113, 145),
}  # fmt: skip
"""On the one machine and on the other."""
_WITHOUT_NETWORK = {"connect": (42, 203), "bind": (49, 200), "listen": (50, 201), "accept4": (288, 242)}
_SOCKET, _SOCKETPAIR = (41, 198), (53, 199)
_CLONE, _CLONE3 = (56, 220), (435, 435)
_CLONE_REFUSED = 0x7E028000
"""CLONE_PARENT, by which a child would be no child of ours, and new namespaces. What clone3 is asked for cannot be
seen: libc is told that there is none, and takes clone."""
_FAMILIES = (2, 10, 16)
"""AF_INET, AF_INET6, AF_NETLINK (names are resolved with it): never AF_UNIX, by which Postgres answers."""
_DATAGRAM = 2
"""One end of a pair of these may be turned to any other socket; those of streams may not."""
_LOAD, _JUMP_EQUAL, _JUMP_AT_LEAST, _AND, _RETURN = 0x20, 0x15, 0x35, 0x54, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_SET_NO_NEW_PRIVS, _SET_SECCOMP, _FILTER = 38, 22, 2


def known() -> bool:
    """Whether there is a filter for this machine."""
    return platform.machine() in _AUDIT_ARCH


def refuse(*, network: bool) -> bool:
    """Installs the filter for this thread and all that it starts, for good; False where there is none for this
    machine. Raises OSError where the kernel refuses."""
    machine = platform.machine()
    if not known():
        return False
    program = _program(machine, network=network)
    libc = ctypes.CDLL(None, use_errno=True)
    code = ctypes.create_string_buffer(program)
    fprog = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(code))
    if libc.prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(_SET_SECCOMP, _FILTER, ctypes.c_char_p(fprog)):
        number = ctypes.get_errno()
        raise OSError(number, f"seccomp: {errno.errorcode.get(number)}")
    return True


def _program(machine: str, *, network: bool) -> bytes:
    column = list(_AUDIT_ARCH).index(machine)
    denied, refused = _ERRNO | errno.EPERM, _ERRNO | errno.EACCES
    steps = [_step(_LOAD, 4), _step(_JUMP_EQUAL, _AUDIT_ARCH[machine], 1, 0), _step(_RETURN, _KILL), _step(_LOAD, 0)]
    if machine == "x86_64":
        steps += [_step(_JUMP_AT_LEAST, _X32, 0, 1), _step(_RETURN, denied)]
    names = _NUMBERS if network else _NUMBERS | _WITHOUT_NETWORK
    for numbers in names.values():
        steps += [_step(_JUMP_EQUAL, numbers[column], 0, 1), _step(_RETURN, denied)]
    families = _FAMILIES if network else ()
    allowed = [_step(_JUMP_EQUAL, family, len(families) - place, 0) for place, family in enumerate(families)]
    # the first argument, and out: allowed, or refused
    of_socket = [_step(_LOAD, 16), *allowed, _step(_RETURN, refused), _step(_RETURN, _ALLOW)]
    steps += [_step(_JUMP_EQUAL, _SOCKET[column], 0, len(of_socket)), *of_socket]
    of_pair = [
        _step(_LOAD, 24),
        _step(_AND, 0xFF),
        _step(_JUMP_EQUAL, _DATAGRAM, 0, 1),
        _step(_RETURN, refused),
        _step(_RETURN, _ALLOW),
    ]
    steps += [_step(_JUMP_EQUAL, _SOCKETPAIR[column], 0, len(of_pair)), *of_pair]
    of_clone = [
        _step(_LOAD, 16),
        _step(_AND, _CLONE_REFUSED),
        _step(_JUMP_EQUAL, 0, 1, 0),
        _step(_RETURN, denied),
        _step(_RETURN, _ALLOW),
    ]
    steps += [_step(_JUMP_EQUAL, _CLONE[column], 0, len(of_clone)), *of_clone]
    steps += [_step(_JUMP_EQUAL, _CLONE3[column], 0, 1), _step(_RETURN, _ERRNO | errno.ENOSYS)]
    return b"".join([*steps, _step(_RETURN, _ALLOW)])


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, value)
