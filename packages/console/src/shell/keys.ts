import { places } from "./places.ts"

/** How long `g` waits for the key of a screen, in milliseconds. */
const waitMs = 1_000

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/u.test(target.tagName))

/** Opens the action that a key is for: where the reader is, else the first of the screen. It asks before it does anything. */
const openAction = (key: string): void => {
  const wanted = `button[aria-keyshortcuts="${key}"]`
  const near = document.activeElement?.closest("tr, section")?.querySelector<HTMLButtonElement>(wanted)
  const action = near ?? document.querySelector<HTMLButtonElement>(`main ${wanted}`)
  action?.click()
}

/** Listens for the keys that work everywhere: `/` searches, `g` and a letter goes to a screen, `a` approves. Returns how to stop. */
export const keysFor = ({ go, search }: { readonly go: (path: string) => void; readonly search: () => void }) => {
  let goingSince: number | undefined
  const pressed = (event: KeyboardEvent) => {
    // what is typed while a dialog is open is meant for it
    if (document.querySelector("dialog[open]") !== null) return
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
    const going = goingSince !== undefined && event.timeStamp - goingSince < waitMs
    goingSince = undefined
    const place = going ? places.find(({ key }) => key === event.key) : undefined
    if (place !== undefined) go(place.path)
    else if (event.key === "/") {
      event.preventDefault()
      search()
    } else if (event.key === "g") goingSince = event.timeStamp
    else if (event.key === "a") openAction("a")
  }
  document.addEventListener("keydown", pressed)
  return () => document.removeEventListener("keydown", pressed)
}
