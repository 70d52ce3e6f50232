import { useState } from "react"

/** How long it is said that something was copied, in milliseconds. */
const toldMs = 1_500

/** An id, hash or address that one click copies. */
export const Copied = ({ short = false, text }: { readonly text: string; readonly short?: boolean }) => {
  const [told, tell] = useState(false)
  const shown = short && text.length > 18 ? `${text.slice(0, 8)}…${text.slice(-6)}` : text
  const copy = () =>
    void navigator.clipboard.writeText(text).then(() => {
      tell(true)
      setTimeout(() => tell(false), toldMs)
    })
  return (
    <button type="button" className="plain mono" title={`Copy ${text}`} onClick={copy}>
      {shown}
      <span role="status">{told ? " copied" : ""}</span>
    </button>
  )
}
