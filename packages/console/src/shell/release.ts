/** The code that this page began with: its name holds its digest, so that every release has another. */
const entryHere = (): string | null => document.querySelector(`script[type="module"][src]`)?.getAttribute("src") ?? null

/** What the service serves by now: the release of this page, another one, or nothing, where it cannot be reached. */
export type Served = "this" | "another" | "nothing"

/** Asks for the page itself, as the browser would, and looks for the code that this one began with. */
export const servedNow = (): Promise<Served> =>
  fetch("/", { headers: { accept: "text/html" }, cache: "no-store" })
    .then((answer) => (answer.ok ? answer.text() : ""))
    .then(
      (text) => {
        const entry = entryHere()
        if (!text.includes(`type="module"`)) return "nothing"
        return entry !== null && text.includes(`"${entry}"`) ? "this" : "another"
      },
      () => "nothing"
    )

/** That a tab has loaded itself anew, under which name the browser keeps it for the tab. */
const mark = "bursar.loadedAnew"

/** Loads the page anew for another release. Returns whether it does: not where that has just helped nothing. */
export const loadAnewOnce = (): boolean => {
  if (sessionStorage.getItem(mark) !== null) return false
  sessionStorage.setItem(mark, "1")
  location.reload()
  return true
}

/** All code that was asked for is there: another release may have the page loaded anew again. */
export const forgetLoadedAnew = (): void => sessionStorage.removeItem(mark)
