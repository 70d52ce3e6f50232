import { useSyncExternalStore } from "react"

/** The one-time code of a link, which stands behind `#` so that no log has it; it is taken out of the address at once. */
const codeInAddress = (): string | undefined => {
  const code = new URLSearchParams(location.hash.slice(1)).get("code")
  if (code !== null) history.replaceState(null, "", location.pathname + location.search)
  return code ?? undefined
}

let code = codeInAddress()
const listeners = new Set<() => void>()

const setCode = (given: string | undefined): void => {
  code = given
  for (const listener of listeners) listener()
}

// a link that is opened where the page is already changes the address alone
addEventListener("hashchange", () => setCode(codeInAddress() ?? code))

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** The code of the link that the page was opened with, until it is done with; undefined without one. */
export const useLinkCode = (): string | undefined => useSyncExternalStore(subscribe, () => code)

/** Is done with the link that the page was opened with. */
export const forgetLinkCode = (): void => setCode(undefined)
