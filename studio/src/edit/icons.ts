/** The icons of editor and runs, which the player alone does not carry. */

export const STOP = 'M4 4h12v12H4z'
export const SAVE = 'M3 3h11l3 3v11H3zM6 4v4h7V4zM6 11v5h8v-5z'
export const UNDO = 'M8 4v3h3a5 5 0 0 1 0 10H7v-2h4a3 3 0 0 0 0-6H8v3L3 8z'
export const REDO = 'M12 4v3H9a5 5 0 0 0 0 10h4v-2H9a3 3 0 0 1 0-6h3v3l5-4z'
