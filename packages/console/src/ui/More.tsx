import type { ReactNode } from "react"
import { mayBeCut } from "./listMax.ts"

/** Says below a list that it may not be whole, and what to do about it. */
export const More = ({
  children,
  count,
  most
}: {
  readonly count: number
  /** As many as were asked for. */
  readonly most?: number
  readonly children?: ReactNode
}) =>
  mayBeCut(count, most) ? (
    <p className="muted">
      Only {count} are shown: there can be more. {children}
    </p>
  ) : null
