"""Pictures, sounds and videos."""

from collections.abc import Iterator

from ptcards.lint.registry import Draft, Edit, Rule
from ptcards.source.media import MediaFolder


class EmptyMedia(Rule, severity="error"):
    """A file that a note shows is empty.

    Why: learners would see a broken picture.

    For instance:

        ![Strides](strides.png)        a file of 0 bytes

    Fix: save the file again.
    """


class MediaNameClash(Rule, severity="error"):
    """Two different files would have the same name in Anki.

    Why: Anki keeps all media in one folder, so a file is called there by its own name and the first eight
    digits of its content's SHA-256. Here both are the same, and every card would show one of the two files.

    For instance:

        ![Loss](a/plot.png)
        ![Accuracy](b/plot.png)        the digests of both begin with fabcb787

    Fix: rename one of the two files.

        ![Accuracy](b/accuracy.png)
    """


class MediaTooLarge(Rule, severity="error"):
    """A media file is larger than 100 MB.

    Why: AnkiWeb does not take it, so no learner could sync the deck.

    For instance:

        ![Lecture](lecture.mp4)

    Fix: make it smaller, or link to it.
    """


class MissingMedia(Rule, severity="error"):
    """A file that a note shows is not there.

    Why: learners would see a broken picture. The case of letters counts, as it does on phones and on GitHub.

    For instance:

        ![Strides](Strides.PNG)        the file is called strides.png

    Fix: correct the path; it starts at the folder of the Markdown file. `--fix` does so if only one file of the
    collection has that name.

        ![Strides](strides.png)
    """

    def fix(self, draft: Draft) -> Iterator[Edit]:
        """Write the path of the file of that name, if the collection has only one."""
        media = MediaFolder(draft.source.root)
        for each in draft.found(self.name):
            address = each.message.removeprefix("no file `").removesuffix("`")
            new = media.elsewhere(draft.source.file, address)
            written = draft.marked(each)
            if new and written.count(address) == 1:
                yield from draft.replace(each, written.replace(address, new))


class RemoteMedia(Rule, severity="error"):
    """A picture, sound or video lies on another server.

    Why: learners study without a network, and the file may be gone tomorrow. Nothing is downloaded at build
    time, so that two builds are the same.

    For instance:

        ![Logo](https://example.org/logo.png)

    Fix: save the file into the collection and refer to it by its path.

        ![Logo](logo.png)
    """


class UnsafeMedia(Rule, severity="error"):
    """A path leads out of the collection, or to something that is not a file.

    Why: whoever builds a deck of somebody else would pack files of their own machine into it.

    For instance:

        ![Secrets](../../.ssh/id_rsa)

    Fix: copy the file into the collection, not as a link.
    """
