import { Foreign } from "./Foreign.tsx"

const local = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" })

/** A moment in the person's own time, with UTC where it is pointed at. What is no moment is shown as it is written. */
export const Time = ({ at }: { readonly at: string | null }) =>
  at === null ? (
    <span className="muted">–</span>
  ) : Number.isNaN(Date.parse(at)) ? (
    <Foreign text={at} />
  ) : (
    <time dateTime={at} title={`${at} (UTC)`}>
      {local.format(new Date(at))}
    </time>
  )
