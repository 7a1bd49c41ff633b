"""The server of `ptcards mcp`, on standard input and output; the only module that imports `mcp`.

It knows the protocol and what failures mean, but nothing about cards: it offers functions as tools.
"""

import asyncio
import base64
import json
import mimetypes
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar, get_type_hints
from urllib.parse import quote, unquote

import mcp
from mcp.server import Server, ServerRequestContext
from mcp.types import (
    BlobResourceContents,
    CallToolRequestParams,
    CallToolResult,
    ListResourcesResult,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    TextContent,
    TextResourceContents,
    Tool,
    ToolAnnotations,
)
from pydantic import TypeAdapter, ValidationError
from pydantic_core import ArgsKwargs

from ptcards import __version__
from ptcards.diagnostics import WrongUseError
from ptcards.files import CacheError, NoSuchSourceError, OutputError, SourceChangedError, reason_of

Answer = Mapping[str, Any]
ToolFunction = Callable[..., Answer]
"""A tool: its docstring and the texts in its annotations describe it, and its types are checked."""

MOST_BYTES = 1_000_000
"""The maximum size of an answer."""
T = TypeVar("T")
_Context = ServerRequestContext[Any]

_SCHEME = "ptcards:///"
_PAGE = 1000
"""How many files are listed at a time."""
_INVALID = -32602
"""The protocol's code for wrong parameters."""
_FAILURES = (WrongUseError, NoSuchSourceError, SourceChangedError, CacheError, OutputError, OSError)


class FileSet(Protocol):
    """Files that clients may read."""

    def names(self) -> Sequence[str]:
        """Return their names."""

    def read(self, name: str) -> bytes:
        """Return the content of one of them; raises WrongUseError for any other name."""


async def serve(
    reading: Sequence[ToolFunction], writing: Sequence[ToolFunction], files: FileSet, *, instructions: str
) -> None:
    """Offer functions as tools, and files as resources, until the client closes standard input."""
    requests = _Requests(reading, writing, files)
    server: Server[Any] = Server(
        "ptcards",
        version=__version__,
        instructions=instructions,
        on_list_tools=requests.list_tools,
        on_call_tool=requests.call_tool,
        on_list_resources=requests.list_resources,
        on_read_resource=requests.read_resource,
    )
    async with mcp.stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


class _Requests:
    """What the server answers."""

    def __init__(
        self, reading: Sequence[ToolFunction], writing: Sequence[ToolFunction], files: FileSet
    ) -> None:
        self._files = files
        self._one_at_a_time = asyncio.Lock()
        functions = (*reading, *writing)
        self._adapters = {function.__name__: _adapter(function) for function in functions}
        self._described = [
            Tool(
                name=function.__name__,
                description=function.__doc__,
                input_schema=_schema(function, self._adapters[function.__name__]),
                annotations=ToolAnnotations(
                    read_only_hint=function in reading, destructive_hint=False, open_world_hint=False
                ),
            )
            for function in functions
        ]

    async def list_tools(self, _: _Context, __: PaginatedRequestParams | None) -> ListToolsResult:
        """Answer `tools/list`."""
        return ListToolsResult(tools=self._described)

    async def call_tool(self, _: _Context, params: CallToolRequestParams) -> CallToolResult:
        """Answer `tools/call`."""
        if params.name not in self._adapters:
            raise mcp.MCPError(_INVALID, f"there is no tool `{params.name}`")
        call = self._adapters[params.name].validate_python
        try:
            answer = await self._run(lambda: call(ArgsKwargs((), params.arguments or {})))
        except ValidationError as failure:
            wrong = [f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in failure.errors()]
            return _refused("\n".join(wrong))
        except _FAILURES as failure:
            return _refused(_reason(failure))
        text = json.dumps(answer)  # in ASCII, so that its size in bytes is its length
        if len(text) > MOST_BYTES:
            return _refused("the answer is larger than 1 MB\nhelp: name fewer files, words or rules")
        return CallToolResult(content=[TextContent(text=text)])

    async def list_resources(self, _: _Context, params: PaginatedRequestParams | None) -> ListResourcesResult:
        """Answer `resources/list`."""
        try:
            names = await self._run(self._files.names)
        except _FAILURES as failure:
            raise mcp.MCPError(_INVALID, _reason(failure)) from failure
        cursor = params.cursor if params and params.cursor else "0"
        start = int(cursor) if cursor.isdecimal() else len(names)
        page = names[start : start + _PAGE]
        more = str(start + _PAGE) if start + _PAGE < len(names) else None
        resources = [Resource(name=name, uri=_SCHEME + quote(name), mime_type=_type(name)) for name in page]
        return ListResourcesResult(resources=resources, next_cursor=more)

    async def read_resource(self, _: _Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        """Answer `resources/read`."""
        name = unquote(params.uri.removeprefix(_SCHEME))
        try:
            content = await self._run(lambda: self._files.read(name))
        except _FAILURES as failure:
            raise mcp.MCPError(_INVALID, _reason(failure)) from failure
        uri, kind = params.uri, _type(name)
        try:
            text = TextResourceContents(uri=uri, mime_type=kind, text=content.decode())
            return ReadResourceResult(contents=[text])
        except UnicodeDecodeError:
            blob = base64.b64encode(content).decode()
            return ReadResourceResult(contents=[BlobResourceContents(uri=uri, mime_type=kind, blob=blob)])

    async def _run(self, function: Callable[[], T]) -> T:
        """Run a function that reads and writes files, beside the loop that talks to the client."""
        async with self._one_at_a_time:
            return await asyncio.to_thread(function)


def _adapter(function: Any) -> TypeAdapter[Answer]:
    """Return what checks the arguments of a function and calls it."""
    return TypeAdapter(function)


def _schema(function: ToolFunction, adapter: TypeAdapter[Answer]) -> dict[str, Any]:
    """Return the JSON Schema of a function's arguments, with the texts in its annotations."""
    schema = adapter.json_schema()
    hints = get_type_hints(function, include_extras=True)
    for name, about in schema["properties"].items():
        (about["description"],) = hints[name].__metadata__
    return schema


def _refused(reason: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=f"error: {reason}")], is_error=True)


def _reason(failure: Exception) -> str:
    """Return why a tool could not do what it was asked for, and what helps."""
    match failure:
        case WrongUseError(help=str(help_text)) if help_text:
            return f"{failure}\nhelp: {help_text}"
        case SourceChangedError():
            return f"`{failure}` changed while it was being read\nhelp: call the tool again"
        case OutputError():
            return f"cannot write `{failure.path.name}`: {failure.reason}"
        case OSError():
            return reason_of(failure)
        case _:
            return str(failure)


def _type(name: str) -> str:
    return "text/markdown" if name.endswith(".md") else mimetypes.guess_type(name)[0] or "text/plain"
