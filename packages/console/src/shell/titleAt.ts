import { places } from "./places.ts"

/** Screens below a place that have a name of their own. */
const below: ReadonlyArray<{ readonly path: string; readonly title: string }> = [
  { path: "/search", title: "Search" },
  { path: "/deposits/addresses", title: "Addresses" },
  { path: "/wallets/sweeps", title: "Sweeps" }
]

/** Whether an address is a place, or below it. */
export const isAt = (location: string, path: string): boolean =>
  path === "/" ? location === "/" : location === path || location.startsWith(`${path}/`)

/** The name of the screen at an address; undefined where there is none. */
export const titleAt = (location: string): string | undefined =>
  [...below, ...places].find(({ path }) => isAt(location, path))?.title
