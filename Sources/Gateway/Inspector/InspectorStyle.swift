enum InspectorStyle {
    static let text = """
        :root {
          color-scheme: light dark;
          --back: #fbfbfa; --card: #fff; --line: #e4e4e0; --text: #1d1f21; --dim: #6b6f73; --pick: #eaf1fb; --hover: #f3f3f0;
          --accent: #1f5fbf; --good: #1d7a4a; --warn: #9a6400; --bad: #b3261e;
          --queue: #c9c9c4; --dns: #7fb3b3; --connect: #d7a65a; --tls: #b58ac9; --wait: #6ea06e; --transfer: #4f86d1; --after: #d6d6d0;
          --mono: ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace;
          font: 14px/1.45 system-ui, "Segoe UI", "DejaVu Sans", sans-serif;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --back: #16181a; --card: #1d2023; --line: #30353a; --text: #e4e6e8; --dim: #969ca3; --pick: #23344d; --hover: #24282c;
            --accent: #7fb0f5; --good: #63c08e; --warn: #e0ad4d; --bad: #f28b82;
            --queue: #4a4f54; --dns: #4f8a8a; --connect: #b38238; --tls: #8a63a0; --wait: #4f8a4f; --transfer: #4a7cc0; --after: #3a3f44;
          }
        }
        * { box-sizing: border-box; }
        html, body { height: 100%; margin: 0; }
        body { display: flex; flex-direction: column; background: var(--back); color: var(--text); }
        button, input, select { font: inherit; color: inherit; }
        button { background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: 3px 10px; cursor: pointer; }
        button:hover { background: var(--hover); }
        :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
        [hidden] { display: none !important; }
        header { display: flex; align-items: center; gap: 12px; padding: 8px 16px; min-width: 0; }
        #facts { color: var(--dim); flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
        #link { font-size: 12px; color: var(--dim); white-space: nowrap; }
        #link::before, .dot::before { content: ""; display: inline-block; width: 8px; height: 8px; border-radius: 50%; margin-right: 6px;
          background: var(--dim); }
        #link.live::before, .dot.data::before { background: var(--good); }
        #link.lost::before, .dot.error::before { background: var(--bad); }
        .dot.loading::before { background: var(--accent); }
        .dot.empty::before { background: transparent; border: 1px solid var(--dim); }
        nav { display: flex; gap: 2px; padding: 0 12px; border-bottom: 1px solid var(--line); overflow-x: auto; }
        nav button { border: 0; border-radius: 0; background: none; padding: 6px 10px; color: var(--dim); border-bottom: 2px solid transparent;
          white-space: nowrap; }
        nav button[aria-selected=true] { color: var(--text); border-color: var(--accent); }
        nav i { font-style: normal; font-size: 12px; color: var(--dim); font-variant-numeric: tabular-nums; }
        main { flex: 1; min-height: 0; display: flex; }
        #side { flex: 1; min-width: 0; display: flex; flex-direction: column; position: relative; }
        #bar { display: flex; gap: 8px; padding: 8px 16px; align-items: center; }
        #filter { flex: 1; min-width: 0; max-width: 480px; }
        input[type=search], select { background: var(--card); border: 1px solid var(--line); border-radius: 6px; padding: 4px 8px; }
        select { max-width: 12em; }
        #pause { color: var(--dim); white-space: nowrap; }
        #list { flex: 1; overflow: auto; position: relative; border-top: 1px solid var(--line); contain: strict; }
        #list:focus-visible { outline: 0; border-top-color: var(--accent); }
        #list:focus-visible .row[aria-selected=true] { box-shadow: inset 3px 0 var(--accent); }
        #space { width: 1px; }
        #empty { position: absolute; top: 35%; left: 0; right: 0; text-align: center; color: var(--dim); pointer-events: none; margin: 0; padding: 0 24px; }
        .row, #heads { display: grid; grid-template-columns: var(--columns); column-gap: 12px; padding: 0 16px; align-items: center; }
        .row { position: absolute; left: 0; right: 0; height: 30px; cursor: default; white-space: nowrap; }
        .row:hover { background: var(--hover); }
        .row[aria-selected=true] { background: var(--pick); }
        #heads { color: var(--dim); padding-bottom: 4px; } #heads > * { font-size: 12px; }
        .row > *, #heads > * { overflow: hidden; text-overflow: ellipsis; min-width: 0; }
        .url, .mono { font-family: var(--mono); font-size: 12.5px; }
        .num { text-align: right; font-variant-numeric: tabular-nums; }
        .dim { color: var(--dim); } .good { color: var(--good); } .warn { color: var(--warn); } .bad { color: var(--bad); }
        #detail { width: 460px; flex: none; border-left: 1px solid var(--line); background: var(--card); overflow: auto; padding: 12px 16px; }
        #detail:empty { display: none; }
        #detail h2 { font: 600 13px/1.4 var(--mono); margin: 0 32px 8px 0; overflow-wrap: anywhere; }
        h3 { font-size: 13px; margin: 18px 0 6px; }
        #detail .close { position: sticky; top: 0; float: right; padding: 0 8px; }
        dl { display: grid; grid-template-columns: max-content 1fr; gap: 3px 14px; margin: 0; }
        dt { color: var(--dim); } dd { margin: 0; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
        .acts { display: flex; flex-wrap: wrap; gap: 8px; margin: 12px 0; }
        button.do { border-color: var(--bad); color: var(--bad); }
        pre { font: 12px/1.5 var(--mono); background: var(--back); border: 1px solid var(--line); border-radius: 6px; padding: 8px 10px;
          margin: 6px 0; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
        pre .at { display: block; background: color-mix(in srgb, var(--bad) 16%, transparent); margin: 0 -10px; padding: 0 10px; }
        .block { border-top: 1px solid var(--line); padding: 6px 0; margin-top: 6px; }
        .block b { font-weight: 500; } .block ul { margin: 2px 0; padding-left: 18px; overflow-wrap: anywhere; }
        .fall { position: relative; height: 12px; background: color-mix(in srgb, var(--line) 40%, transparent); border-radius: 3px; overflow: hidden; }
        .fall i { position: absolute; top: 0; bottom: 0; min-width: 1px; }
        .queue { background: var(--queue); } .dns { background: var(--dns); } .connect { background: var(--connect); }
        .tls { background: var(--tls); } .wait { background: var(--wait); } .transfer { background: var(--transfer); }
        .after { background: var(--after); } .failed { background: var(--bad); }
        .lane { display: grid; grid-template-columns: 7.5em 1fr 5em; gap: 10px; align-items: center; margin: 4px 0; font-size: 12.5px; }
        .key { display: flex; flex-wrap: wrap; gap: 4px 12px; font-size: 12px; color: var(--dim); margin-top: 8px; }
        .key i { display: inline-block; width: 10px; height: 10px; border-radius: 2px; margin-right: 5px; vertical-align: -1px; }
        #host { flex: 1; overflow: auto; padding: 4px 16px 24px; }
        #host table { border-collapse: collapse; width: 100%; max-width: 980px; }
        #host th { text-align: left; font-weight: 400; color: var(--dim); font-size: 12px; }
        #host td, #host th { padding: 4px 14px 4px 0; border-bottom: 1px solid var(--line); vertical-align: top; } #host .mono { overflow-wrap: anywhere; }
        #host td.num, #host th.num { text-align: right; white-space: nowrap; } #host td .acts { margin: 0; flex-wrap: nowrap; }
        .cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); gap: 8px; max-width: 980px; margin-top: 12px; }
        .card { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 8px 12px; }
        .card b { display: block; font-size: 17px; font-weight: 600; font-variant-numeric: tabular-nums; } .card span { color: var(--dim); font-size: 12px; }
        dialog { border: 1px solid var(--line); border-radius: 10px; background: var(--card); color: var(--text); padding: 18px 20px; max-width: 420px; }
        dialog::backdrop { background: rgb(0 0 0 / .35); }
        dialog p { margin: 0 0 14px; overflow-wrap: anywhere; } menu { display: flex; justify-content: end; gap: 8px; margin: 0; padding: 0; }
        #toast { position: fixed; bottom: 18px; left: 50%; transform: translateX(-50%); background: var(--text); color: var(--back);
          border-radius: 8px; padding: 8px 14px; max-width: 90vw; }
        @media (max-width: 900px) {
          header { flex-wrap: wrap; gap: 4px 10px; padding: 8px 12px; } #facts { order: 9; flex-basis: 100%; font-size: 12px; }
          #link { flex: 1; text-align: right; } nav { padding: 0 4px; gap: 0; } nav button { padding: 6px 6px; font-size: 13px; } nav i { font-size: 11px; } #bar { padding: 8px 12px; }
          .row, #heads { padding-left: 12px; padding-right: 12px; column-gap: 8px; }
          .wide { display: none; }
          #detail { position: fixed; inset: 0; width: auto; border: 0; z-index: 2; }
          .lane { grid-template-columns: 6em 1fr 4.5em; }
        }

        """
}
