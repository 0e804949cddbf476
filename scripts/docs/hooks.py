"""Makes the site of the repository's documents: called by mkdocs, see mkdocs.yml.

The pages are the files below docs, the documents of the root folder, and whatever they link to: a script of an
example becomes a page that shows it. Links in the files are those of the repository; here they are written
anew. In the environment DOCS_REPO_URL names a forge, such as https://forge.example/resthost: then pages have a
link to edit them, and other files are links to it. DOCS_BRANCH is its branch, main without it.
"""
import os
import posixpath
import re

from mkdocs.structure.files import File

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
FORGE = os.environ.get("DOCS_REPO_URL", "").rstrip("/")
BRANCH = os.environ.get("DOCS_BRANCH", "main")

# Documents of the root folder, and where they are on the site.
ROOT_PAGES = {
    "README.md": "README.md",
    "ARCHITECTURE.md": "internals/architecture.md",
    "CONTRIBUTING.md": "internals/contributing.md",
    "SECURITY.md": "operating/security.md",
    "CHANGELOG.md": "migrating/changelog.md",
}
SECTIONS = ["start", "guides", "cookbook", "operating", "reference", "swift", "migrating", "internals"]
LANGUAGES = {"lua": "lua", "swift": "swift", "json": "json", "toml": "toml", "md": "markdown", "c": "c", "h": "c", "cpp": "cpp",
             "py": "python", "yml": "yaml", "svg": "xml", "": "sh"}
FENCE = re.compile(r" {0,6}(```+|~~~+)")
LINK = re.compile(r'(\]\(|^\[[^\]]+\]: +|<(?:img|a)[^>]* (?:src|href)=")([^)\s">#]*)(#[^)\s">]*)?', re.M)
LISTED = re.compile(r"( *)([-*+]|\d+[.)]) ")


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def split_code(text):
    """Pieces of a page: whether it is code, and its text. Fences count as code, and so does code in a line."""
    fence, piece = None, []
    for line in text.split("\n"):
        mark = FENCE.match(line)
        if fence is None and mark:
            yield False, "\n".join(piece) + "\n" if piece else ""
            fence, piece = mark.group(1), [line]
        elif fence is not None and line.strip().startswith(fence) and not line.strip().strip("`~"):
            yield True, "\n".join(piece + [line]) + "\n"
            fence, piece = None, []
        else:
            piece.append(line)
    yield fence is not None, "\n".join(piece)


class Site:
    """Maps files of the repository to places on the site."""

    def __init__(self):
        self.place = {}

    def target(self, source, link):
        """The path in the repository to which a link in a file leads; None if it leads elsewhere."""
        if not link or re.match(r"[a-z]+:|/", link):
            return None
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), link))
        if os.path.isdir(os.path.join(ROOT, path)) and os.path.exists(os.path.join(ROOT, path, "README.md")):
            path += "/README.md"
        return path

    def links(self, source, text):
        for is_code, piece in split_code(text):
            if not is_code:
                for match in LINK.finditer(re.sub(r"`[^`\n]*`", "", piece)):
                    target = self.target(source, match.group(2))
                    if target:
                        yield target

    def rewrite(self, source, text):
        """Rewrites the links of a page for its place on the site."""
        start = posixpath.dirname(self.place[source])

        def change(match):
            target = self.target(source, match.group(2))
            if target in self.place:
                link = posixpath.relpath(self.place[target], start or ".")
            elif target and FORGE and os.path.exists(os.path.join(ROOT, target)):
                kind = "tree" if os.path.isdir(os.path.join(ROOT, target)) else "blob"
                link = "%s/%s/%s/%s" % (FORGE, kind, BRANCH, target)
            else:
                return match.group(0)
            return match.group(1) + link + (match.group(3) or "")

        pieces = []
        for is_code, piece in split_code(text):
            if not is_code:
                spans = re.split(r"(`[^`\n]*`)", piece)
                # A link may have code in its text, so whole lines are changed, and code is put back.
                codes = spans[1::2]
                marked = "".join("\x02%d\x03" % (index // 2) if index % 2 else span for index, span in enumerate(spans))
                marked = LINK.sub(change, marked)
                piece = re.sub(r"\x02(\d+)\x03", lambda match: codes[int(match.group(1))], marked)
            pieces.append(piece)
        return "".join(pieces)


site = Site()


def as_on_github(text):
    """Lists without an empty line before them, or with items that are indented by two; escaped bars in code of tables."""
    lines, before, is_list = [], "", False
    for is_code, piece in split_code(text):
        for line in piece.split("\n"):
            if line.startswith("|") and not is_code:
                line = re.sub(r"`[^`]*`", lambda match: match.group(0).replace("\\|", "|"), line)
            indent = len(line) - len(line.lstrip(" "))
            item = None if is_code else LISTED.match(line)
            if item and not is_list and before.strip() and not is_code:
                lines.append("")
            if item and not is_code:
                is_list = True
            elif line.strip() and not indent and not (is_code or before.strip()):
                is_list = False
            elif line.strip() and not indent and line.startswith(("#", "|", "```")):
                is_list = False
            if is_list and indent in (2, 3) and line.strip():
                line = "    " + line[indent:]
            lines.append(line)
            before = line
        if piece.endswith("\n"):
            lines.pop()
    return "\n".join(lines)


def code_page(path):
    """A page that shows a file, or the names in a folder."""
    whole = os.path.join(ROOT, path)
    if os.path.isdir(whole):
        return "# %s\n\n%s\n" % (path, "\n".join("* `%s`" % name for name in sorted(os.listdir(whole)) if name[0] != "."))
    name = posixpath.basename(path)
    language = LANGUAGES.get(name.rpartition(".")[2] if "." in name else "", "text")
    return "# %s\n\n~~~~~%s\n%s\n~~~~~\n" % (path, "text" if name == "LICENSE" else language, read(path).rstrip("\n"))


def on_config(config):
    version = re.search(r'static let text = "([0-9.]+)"', read("Sources/RestScript/Values/ScriptValues.swift")).group(1)
    config.site_name = "resthost " + version
    config.copyright = "resthost %s, Apache License 2.0" % version
    if FORGE:
        # repo_url isn't used, because the theme would ask some forges for figures on every page.
        config.copyright += ', <a href="%s">source</a>' % FORGE
        config.theme["features"].append("content.action.edit")
    return config


def on_files(files, config):
    site.place = {"docs/" + file.src_uri: file.src_uri for file in files if not file.src_uri.endswith(".dot")}
    for source, place in ROOT_PAGES.items():
        site.place[source] = place
        if source != "README.md":
            files.append(File.generated(config, place, content=read(source)))
    # The README of the root is for the forge. On the site, links to it lead to the index.
    waiting = [source for source in site.place if source.endswith(".md") and source != "README.md"]
    while waiting:
        source = waiting.pop()
        for target in site.links(source, read(source)):
            whole = os.path.join(ROOT, target)
            if target in site.place or target.startswith("..") or not os.path.exists(whole):
                continue
            is_page = target.endswith(".md")
            if FORGE and not is_page:
                continue
            place = "files/" + (target if is_page else target + ".md")
            site.place[target] = place
            files.append(File.generated(config, place, content=read(target) if is_page else code_page(target)))
            if is_page:
                waiting.append(target)
    config.nav = navigation(files)
    return files


def navigation(files):
    """The sections in their order, each with its pages in the order of the indexes."""
    rank = {}
    for index in sorted((source for source in site.place if re.match(r"docs/(.*/)?README\.md$", source)), key=len):
        for target in site.links(index, read(index)):
            rank.setdefault(site.place.get(target), len(rank))
    nav = [{"Home": "README.md"}] if "docs/README.md" in site.place else []
    for section in SECTIONS:
        pages, folders = [], {}
        for file in files.documentation_pages():
            parts = file.src_uri.split("/")
            if parts[0] != section:
                continue
            if len(parts) == 2:
                pages.append(file.src_uri)
            else:
                folders.setdefault(parts[1], []).append(file.src_uri)

        def place(page):
            # README is the first page of its folder.
            return (not page.endswith("README.md"), rank.get(page, len(rank)), page.endswith(("security.md", "changelog.md")), page)

        entries = sorted(pages, key=place)
        for folder, inside in sorted(folders.items(), key=lambda item: item[0] != "rules"):
            entries.append({folder.capitalize(): sorted(inside, key=place)})
        if entries:
            nav.append({section.capitalize(): entries})
    return nav


def source_of(page):
    for source, place in site.place.items():
        if place == page.file.src_uri and source != "README.md":
            return source
    return None


def on_page_markdown(markdown, page, config, files):
    source = source_of(page)
    if source is None or not source.endswith(".md"):
        return markdown
    if FORGE:
        page.edit_url = "%s/edit/%s/%s" % (FORGE, BRANCH, source)
    if page.is_homepage:
        page.meta["hide"] = ["navigation"]
    return as_on_github(site.rewrite(source, markdown))
