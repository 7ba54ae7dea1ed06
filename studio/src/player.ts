/** The player alone, as it is put into a report: it plays the file that the page contains, or one that is opened. */

import { mount } from 'svelte'
import PlayerPage from './player/PlayerPage.svelte'
import './page.css'

const target = document.getElementById('page')
if (target !== null) mount(PlayerPage, { target })
