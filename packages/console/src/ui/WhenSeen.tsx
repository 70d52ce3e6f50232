import { type ReactNode, useEffect, useRef, useState } from "react"

/** How far below the window something counts as seen. */
const margin = "300px"

/** Shows a part of a page, and loads what it takes, once somebody comes near it. */
export const WhenSeen = ({ children, otherwise }: { readonly children: ReactNode; readonly otherwise: string }) => {
  const place = useRef<HTMLParagraphElement>(null)
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    const element = place.current
    if (element === null) return undefined
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true)
      },
      { rootMargin: margin }
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return isSeen ? (
    children
  ) : (
    <p ref={place} className="muted">
      {otherwise}
    </p>
  )
}
