"""Runs several workers at the same time, and replaces a worker when a card breaks it."""

import os
import threading
from collections.abc import Iterator, Sequence
from queue import Empty, SimpleQueue

from ptcards.verify.supervision import Lost, children, end_orphans
from ptcards.verify.workers import Launch, Reply, Task, Worker


class Crew:
    """Workers that run tasks at the same time."""

    def __init__(self, launch: Launch, jobs: int) -> None:
        self._launch = launch
        self._workers: list[Worker] = []
        self._jobs = jobs
        self._stopped = threading.Event()
        # Without a sandbox, we become the parent of processes that a card leaves behind when its runner dies.
        self._starting = threading.Lock()
        self._known = {*children(os.getpid())}

    def run(self, tasks: Sequence[Task]) -> Iterator[tuple[int, Reply | Lost]]:
        """Yield the index and reply of each task when the reply arrives.

        The workers end when the iteration ends, for whatever reason.

        Raises:
            RefusedError: a worker does not start.

        """
        waiting: SimpleQueue[int] = SimpleQueue()
        for index in range(len(tasks)):
            waiting.put(index)
        done: SimpleQueue[tuple[int, Reply | Lost] | BaseException] = SimpleQueue()
        threads = [
            threading.Thread(target=self._work, args=(tasks, waiting, done))
            for _ in range(min(self._jobs, len(tasks)))
        ]
        try:  # Ctrl-C may arrive while the threads start.
            for thread in threads:
                thread.start()
            for _ in tasks:
                result = done.get()
                if isinstance(result, BaseException):
                    raise result
                yield result
        finally:
            self._stopped.set()
            for worker in list(self._workers):
                worker.stop()
            for thread in threads:
                if thread.is_alive():
                    thread.join()

    def _work(
        self,
        tasks: Sequence[Task],
        waiting: "SimpleQueue[int]",
        done: "SimpleQueue[tuple[int, Reply | Lost] | BaseException]",
    ) -> None:
        worker: Worker | None = None
        try:
            while not self._stopped.is_set():
                try:
                    index = waiting.get_nowait()
                except Empty:
                    break
                if worker is None:
                    worker = self._begin()
                    if self._stopped.is_set():  # before this worker existed
                        break
                reply = worker.run(tasks[index])
                if isinstance(reply, Lost) or not reply["clean"]:
                    self._close(worker)
                    worker = None
                done.put((index, reply))
        except BaseException as failure:  # noqa: BLE001 - raised again in the main thread
            done.put(failure)
        finally:
            if worker is not None:
                self._close(worker)

    def _begin(self) -> Worker:
        with self._starting:
            worker = Worker(self._launch)
            self._workers.append(worker)
            self._known.add(worker.number)
        return worker

    def _close(self, worker: Worker) -> None:
        worker.close()
        self._workers.remove(worker)
        if self._launch.sandbox is None:
            with self._starting:
                end_orphans(self._known)
