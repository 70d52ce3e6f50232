import { Component, type ReactNode } from "react"
import { Notice } from "../ui/Notice.tsx"

interface Props {
  readonly children: ReactNode
  /** What is inside of it, for a person. */
  readonly part?: string
}

/** Keeps the rest of the page where a part of it cannot be shown: a defect of it. */
export class Boundary extends Component<Props, { readonly isBroken: boolean }> {
  override state = { isBroken: false }

  static getDerivedStateFromError() {
    return { isBroken: true }
  }

  override render() {
    const { children, part = "page" } = this.props
    return this.state.isBroken ? (
      <Notice tone="bad">
        This {part} cannot be shown. It is not known whether anything changed: look before you try again. Load the page
        again; if it is still so, go to another one.
        <div className="actions">
          <button type="button" onClick={() => location.reload()}>
            Load the page again
          </button>
        </div>
      </Notice>
    ) : (
      children
    )
  }
}
