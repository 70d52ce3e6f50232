import { useEffect, useRef, useState } from "react"
import { useLiveness } from "../api/liveness.ts"
import { Notice } from "../ui/Notice.tsx"
import { useOpenings } from "../ui/openings.ts"
import { loadAnewOnce, type Served, servedNow } from "./release.ts"

interface Unloading {
  /** What is not there, for a person. */
  readonly part: string
  /** Asks for it again by itself; null where that was done. */
  readonly repeat: (() => void) | null
  /** Asks for it again for a person. */
  readonly again: () => void
}

/** What the service serves, asked for at once and whenever it may be reached again. */
const useServed = (): Served | undefined => {
  const [served, setServed] = useState<Served>()
  const liveness = useLiveness()
  useEffect(() => {
    let isLeft = false
    const look = () =>
      void servedNow().then((found) => {
        if (!isLeft) setServed(found)
      })
    look()
    window.addEventListener("online", look)
    return () => {
      isLeft = true
      window.removeEventListener("online", look)
    }
  }, [liveness])
  return served
}

const because: Readonly<Record<Served, (part: string) => string>> = {
  nothing: (part) => `This ${part} could not be loaded: the service cannot be reached. It is loaded once it can be.`,
  this: (part) => `This ${part} could not be loaded.`,
  another: () =>
    "The console was updated, and this page is of the release before. It is loaded anew once no dialog is open: what is typed into one stays until you close it."
}

/**
 * What stands in the place of code that could not be loaded. It is asked for again once the service can be reached; where that serves another release by
 * now, the page is loaded anew as soon as no dialog is open: of what is typed into one, or shown in it alone, nothing is lost.
 */
export const Unloaded = ({ again, part, repeat }: Unloading) => {
  const served = useServed()
  const isFree = useOpenings().length === 0
  const isDone = useRef(false)
  useEffect(() => {
    if (isDone.current) return
    if (served === "this" && repeat !== null) {
      isDone.current = true
      repeat()
    }
    if (served === "another" && isFree) {
      isDone.current = true
      loadAnewOnce()
    }
  })
  return served === undefined ? (
    <p className="muted">Loading …</p>
  ) : (
    <Notice tone="bad">
      {because[served](part)}
      <div className="actions">
        {served === "another" ? null : (
          <button type="button" onClick={again}>
            Try again
          </button>
        )}
        {/* some browsers ask for code that could not be loaded once no more than once for a page */}
        <button type="button" onClick={() => location.reload()}>
          Load the page again
        </button>
      </div>
    </Notice>
  )
}
