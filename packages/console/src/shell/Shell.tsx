import type { OperatorSession } from "@bursar/api/operator/SessionGroup"
import { type ReactNode, useEffect, useLayoutEffect, useRef } from "react"
import { Link, useLocation } from "wouter"
import { Action } from "../ui/Action.tsx"
import { Failed } from "../ui/Notice.tsx"
import { entitle } from "../ui/Titled.tsx"
import { tell, useTold } from "../ui/told.ts"
import { Boundary } from "./Boundary.tsx"
import { Live } from "./Live.tsx"
import { Openings } from "./Openings.tsx"
import { keysFor } from "./keys.ts"
import { places } from "./places.ts"
import { isAt, titleAt } from "./titleAt.ts"

/** What stands around every screen: where one can go, the search, and who is signed in. */
export const Shell = ({
  children,
  session
}: {
  readonly session: typeof OperatorSession.Type
  readonly children: ReactNode
}) => {
  const [location, go] = useLocation()
  const search = useRef<HTMLInputElement>(null)
  const main = useRef<HTMLElement>(null)
  useEffect(() => keysFor({ go, search: () => search.current?.focus() }), [go])
  // who listens to the page instead of looking at it is told of the new screen
  useEffect(() => main.current?.focus(), [location])
  const told = useTold()
  // before a dialog that goes with its screen tells what it was refused with
  useLayoutEffect(() => tell(null), [location])
  // before the screen says what it is about
  useLayoutEffect(() => entitle(titleAt(location)), [location])
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <nav className="side" aria-label="Screens">
        <span className="brand">Bursar</span>
        {places.map(({ key, path, title }) => (
          <Link key={path} href={path} aria-current={isAt(location, path) ? "page" : undefined} title={`g ${key}`}>
            {title}
          </Link>
        ))}
        <div className="who">
          {session.name} · {session.role}
          <Action
            label="Sign out"
            preview="You can sign in again with a new link or your token."
            does="session.end"
            act={() => (ask) => ask()}
          />
        </div>
      </nav>
      <div>
        <header className="top">
          <form
            role="search"
            onSubmit={(event) => {
              event.preventDefault()
              const text = search.current?.value.trim() ?? ""
              if (text !== "") go(`/search?text=${encodeURIComponent(text)}`)
            }}
          >
            <input
              ref={search}
              type="search"
              name="text"
              autoComplete="off"
              aria-label="Search by id, hash, address or reference"
              placeholder="Search by id, hash, address or reference  ( / )"
            />
          </form>
          <Live />
        </header>
        <main id="main" tabIndex={-1} ref={main}>
          {told === null ? null : <Failed error={told} />}
          <Boundary key={location}>{children}</Boundary>
        </main>
      </div>
      <Openings />
    </div>
  )
}
