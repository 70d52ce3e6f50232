import { Component, type ReactNode } from "react"
import { Notice } from "../ui/Notice.tsx"

interface Props {
  readonly children: ReactNode
}

/** Keeps the rest of the page where a screen cannot be shown: a defect of it, or code of it that is no longer there since an update. */
export class Boundary extends Component<Props, { readonly isBroken: boolean }> {
  override state = { isBroken: false }

  static getDerivedStateFromError() {
    return { isBroken: true }
  }

  override render() {
    return this.state.isBroken ? (
      <Notice tone="bad">
        This page cannot be shown. It is not known whether anything changed: look before you try again. Go to another
        page, or load this one again.
      </Notice>
    ) : (
      this.props.children
    )
  }
}
