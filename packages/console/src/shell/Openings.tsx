import { useEffect } from "react"
import { hideAll, useOpenings } from "../ui/openings.ts"
import { Boundary } from "./Boundary.tsx"

/** The dialogs that are open, above every screen. They go with whoever is signed in. */
export const Openings = () => {
  const openings = useOpenings()
  useEffect(() => hideAll, [])
  return openings.map(({ dialog, id }) => <Boundary key={id}>{dialog}</Boundary>)
}
