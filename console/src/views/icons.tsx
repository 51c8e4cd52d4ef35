/** Pictures of a line each: fonts of the system need not have them. */

const SHAPES = {
  clip: "M21 11.5 12.5 20a5 5 0 0 1-7-7L14 4.500a3.3 3.3 0 0 1 4.7 4.700L10.2 17.700a1.7 1.7 0 0 1-2.4-2.400L15.5 7.6",
  good: "M7 11v9H3v-9h4Zm0 0 4-8a2.5 2.5 0 0 1 2.5 2.800L13 9h6a2 2 0 0 1 2 2.300l-1.2 7A2 2 0 0 1 17.8 20H7",
  bad: "M17 13V4h4v9h-4Zm0 0-4 8a2.5 2.5 0 0 1-2.5-2.800L11 15H5a2 2 0 0 1-2-2.300l1.2-7A2 2 0 0 1 6.2 4H17",
  clock: "M12 21a8 8 0 1 0 0-16 8 8 0 0 0 0 16Zm0-12v4l2.5 2M5 3 2.5 5.500M19 3l2.5 2.5",
  down: "M12 4v12m0 0 5-5m-5 5-5-5M5 20h14",
  menu: "M4 7h16M4 12h16M4 17h16",
  close: "M6 6l12 12M18 6 6 18",
} as const;

export function Icon({ name }: { name: keyof typeof SHAPES }) {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={SHAPES[name]} />
    </svg>
  );
}
