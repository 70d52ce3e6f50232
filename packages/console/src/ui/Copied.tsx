import { useState } from "react"
import { printable } from "@bursar/api/wire/printable"
import { shortened } from "./shortened.ts"

/** How long it is said that something was copied, in milliseconds. */
const toldMs = 1_500

/** An id, hash or address that one click copies. */
export const Copied = ({ short = false, text }: { readonly text: string; readonly short?: boolean }) => {
  const [told, tell] = useState(false)
  const whole = printable(text)
  const shown = short ? shortened(whole) : whole
  const copy = () =>
    void navigator.clipboard.writeText(text).then(() => {
      tell(true)
      setTimeout(() => tell(false), toldMs)
    })
  return (
    <button type="button" className="plain mono" title={`Copy ${whole}`} onClick={copy}>
      <bdi>{shown}</bdi>
      <span role="status">{told ? " copied" : ""}</span>
    </button>
  )
}
