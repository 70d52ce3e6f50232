import { Copied } from "./Copied.tsx"

/** A secret that is shown this once. It leaves the page with the dialog, and stands nowhere else. */
export const ShownOnce = ({ secret, what }: { readonly what: string; readonly secret: string }) => (
  <p>
    {what} It is not shown again: <Copied text={secret} />
  </p>
)
