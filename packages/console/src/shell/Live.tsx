import { floorMs, useLive, useLiveness } from "../api/liveness.ts"

/** Follows what happens, and says whether what is shown keeps itself up to date. */
export const Live = () => {
  useLive()
  const now = useLiveness()
  return (
    <span className={`liveness ${now}`} role="status">
      {now === "live"
        ? "Live"
        : now === "connecting"
          ? "Connecting …"
          : `No live updates: read every ${floorMs() / 1_000} s`}
    </span>
  )
}
