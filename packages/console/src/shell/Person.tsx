import type { OperatorSession } from "@bursar/api/operator/SessionGroup"
import { useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react"
import { useLocation } from "wouter"
import { askAs } from "../api/client.ts"
import { Notice } from "../ui/Notice.tsx"
import { Shell } from "./Shell.tsx"

/**
 * The page of whoever is signed in. Where somebody else has signed in in another window of the browser, nothing that the one before had open
 * stays, and the page says so until one goes on to another screen.
 */
export const Person = ({
  children,
  session
}: {
  readonly session: typeof OperatorSession.Type
  readonly children: ReactNode
}) => {
  const { name } = session
  const queries = useQueryClient()
  const [location] = useLocation()
  const before = useRef(name)
  const [left, setLeft] = useState<{ readonly name: string; readonly at: string } | null>(null)
  // before anybody can act: what is asked for is asked for by whom the page shows
  useLayoutEffect(() => askAs(name), [name])
  useEffect(() => {
    if (before.current === name) return
    setLeft({ name: before.current, at: location })
    before.current = name
    void queries.invalidateQueries()
  }, [location, name, queries])
  return (
    <Shell key={name} session={session}>
      {left?.at === location ? (
        <Notice tone="bad">
          {name} has signed in in another window of this browser, in place of {left.name}. What you do here is done
          under the name {name}; what was refused since then has changed nothing.
        </Notice>
      ) : null}
      {children}
    </Shell>
  )
}
