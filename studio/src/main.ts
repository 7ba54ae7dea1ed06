/** The studio. */

import { mount } from 'svelte'
import PlayerPage from './player/PlayerPage.svelte'
import './page.css'

const target = document.getElementById('page')
if (target !== null) mount(PlayerPage, { target })
