"""What tests do to an object before they hold it against its schema."""


def put(value, *path):
    """Sets what is at the path."""

    def change(data):
        for key in path[:-1]:
            data = data[key]
        data[path[-1]] = value

    return change


def drop(*path):
    """Removes what is at the path."""

    def change(data):
        for key in path[:-1]:
            data = data[key]
        del data[path[-1]]

    return change
