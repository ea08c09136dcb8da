// Run in each page before its own scripts, with the numbers of four of Streamlit's messages and statuses. It sees of
// each message to and from the server what kind it is, and so knows whether the last run that was asked for has begun
// and ended: what stands on the page may be the same before and after.
(ASK, BEGIN, END, EARLY) => {
    let asked = true, running = false, changed = 0, asks = 0;

    // The fields of a message in protobuf's format: number, and value where that is a whole number.
    const fields = data => {
        const found = new Map(), start = data.byteOffset ?? 0, bytes = new Uint8Array(data.buffer ?? data);
        let at = start;
        const whole = () => {
            for (let value = 0, factor = 1; ; factor *= 128) {
                value += (bytes[at] & 127) * factor;
                if (bytes[at++] < 128) return value;
            }
        };
        while (at < start + data.byteLength) {
            const tag = whole(), wire = tag & 7;
            const value = wire == 0 || wire == 2 ? whole() : wire == 1 ? 8 : 4;
            found.set(tag >> 3, value);
            at += wire == 0 ? 0 : value;
        }
        return found;
    };

    window.WebSocket = class extends WebSocket {
        constructor(...given) {
            super(...given);
            this.addEventListener("message", message => {
                note();
                const found = fields(message.data);
                if (found.has(BEGIN)) [asked, running] = [false, true];
                if (found.has(END)) running = found.get(END) == EARLY;  // else another run follows
            });
        }

        send(data) {
            if (fields(data).has(ASK)) [asked, asks] = [true, asks + 1];
            super.send(data);
        }
    };

    const note = () => { changed = performance.now(); };
    new MutationObserver(note).observe(document, {subtree: true, childList: true, characterData: true});
    for (const input of ["pointerup", "keydown", "input", "change"])
        window.addEventListener(input, note, {capture: true});  // what it asks for is sent a moment later
    window.addEventListener("resize", note);

    // Figures are drawn anew where their place has another size, as the side slides in or out, and until then moves.
    const drawn = place => {
        const width = place.querySelector(".main-svg")?.getBoundingClientRect().width;
        return Math.abs(width - place.clientWidth) < 1;
    };
    const moving = () => document.getAnimations().some(
        one => one instanceof CSSTransition && one.playState == "running");

    window.mtsigAsks = () => asks;
    window.mtsigSettled = () => !asked && !running && performance.now() - changed > 100
        && document.querySelector('[data-testid="stApp"][data-test-script-state="notRunning"]')
        && !document.querySelector('[data-stale="true"], [data-testid="stSkeleton"]')
        && [...document.querySelectorAll('[data-testid="stPlotlyChart"]')].every(drawn) && !moving();
}
